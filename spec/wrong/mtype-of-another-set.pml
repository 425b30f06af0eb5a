mtype:fruit = { apple, pear };
mtype:size = { small };
mtype:fruit f = apple;
mtype:size s = pear; // error[E0307]: `pear` is an `mtype:fruit`, but the variable holds an `mtype:size`
init {
  f = small; // error[E0307]: `small` is an `mtype:size`, but the variable holds an `mtype:fruit`
  s = small
}
