/* A sender that waits for the acknowledgement of each frame.
   For any capacity:
     acknowledged: holds
     again: holds
     few: holds
     order: holds
 */
chan data = [2] of { bit };
chan ack = [2] of { bit };
active proctype Sender() {
  do
  :: data!0; waiting: ack?0; data!1; ack?1
  od
}
active proctype Receiver() {
  do
  :: data?0; got: ack!0 :: data?1; ack!1
  od
}
ltl acknowledged { [] (Sender@waiting -> <> !Sender@waiting) }
ltl again { [] <> Receiver@got }
ltl few { [] (len(data) <= 1) }
ltl order { !Receiver@got W Sender@waiting }
