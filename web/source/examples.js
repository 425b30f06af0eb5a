import anyNumber from "../examples/any-number.pml";
import buffers from "../examples/buffers.pml";
import fairness from "../examples/fairness.pml";
import livelock from "../examples/livelock.pml";
import mutualExclusion from "../examples/mutual-exclusion.pml";
import peterson from "../examples/peterson.pml";
import philosophers from "../examples/philosophers.pml";

/** Models that teach one thing each, in the order in which to read them. */
export const examples = [
  { title: "Mutual exclusion: a first attempt", text: mutualExclusion, lesson: "Two processes, one critical section: is there a run with both inside?" },
  { title: "Mutual exclusion: Peterson", text: peterson, fairness: "weak", lesson: "Proved: never both inside, and whoever wants in comes in." },
  { title: "Deadlock: philosophers", text: philosophers, lesson: "Everybody waits for somebody else." },
  { title: "Buffers: how full do they get?", text: buffers, lesson: "Two buffers have a bound, one grows for ever." },
  { title: "Livelock: busy and useless", text: livelock, lesson: "Everybody moves, and what is marked as progress never happens." },
  { title: "Fairness: who gets a turn?", text: fairness, lesson: "Violated if all runs count; try weakly fair ones under Options." },
  { title: "Any number of processes", text: anyNumber, anyNumber: ["Worker"], lesson: "One proof for two, three, a hundred workers." },
];
