chan c = [1] of { byte };
chan d = [1] of { chan };
byte b;
init {
  c!d; // warning[W0212]: this variable is a channel, but the message field is not
  d!b; // warning[W0212]: this message field is a channel, but the variable is not
  c?b
}
