chan c = [1] of { byte, byte };
init {
  c!1; // warning[W0211]: send of 1 value on a channel whose messages have 2 fields
  c?_ // warning[W0211]: receive of 1 value on a channel whose messages have 2 fields
}
