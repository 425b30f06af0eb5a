mtype:fruit = { apple };
mtype:size = { small };
chan c = [1] of { mtype:fruit };
init {
  c!small; // warning[W0213]: this is an `mtype:size`, but an `mtype:fruit` is expected
  c?apple
}
