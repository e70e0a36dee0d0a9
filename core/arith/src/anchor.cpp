namespace cuzk::arith {}
