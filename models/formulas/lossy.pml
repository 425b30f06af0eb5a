/* A channel that may lose every message.
   For any capacity:
     arrives: fails
     order: holds
     weakly: fails
 */
chan in = [2] of { byte };
chan out = [2] of { byte };
bit sent;
active proctype Sender() { sent = 1; in!1; do :: skip od }
active proctype Channel() { do :: in?_; if :: out!1 :: skip fi od }
active proctype Receiver() { out?_; got: do :: skip od }
ltl arrives { <> (Receiver@got) }
ltl order { !Receiver@got W (sent == 1) }
ltl weakly { [] ((sent == 1) -> <> Receiver@got) }
