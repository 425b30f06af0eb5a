mtype = { used, unused, neither }; // warning[W0106]: mtype names `unused` and `neither` are never used
byte nobody; // warning[W0102]: variable `nobody` is never used
mtype m = used;
inline never_called() { skip } // warning[W0101]: inline `never_called` is never called
proctype never_run() { skip } // warning[W0104]: proctype `never_run` is never run
init {
  int local_nobody; // warning[W0102]: variable `local_nobody` is never used
  m = used;
lonely: // how a place is named: no warning
  skip
}
