typedef T { int a };
typedef U { T inner[2] };
chan c = [1] of { U }; // error[E0211]: `inner` is an array of structs, which cannot be sent
U u;
init {
  c!u // error[E0211]: `inner` is an array of structs, which cannot be in a list of arguments
}
