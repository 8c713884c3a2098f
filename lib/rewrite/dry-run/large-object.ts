import { room, type Taken } from "#lib/async/room.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";

/** An object's share of the memory that large ones have together: a parsed copy takes up to twenty times the bytes of its JSON. */
export interface LargeObject {
  /** Whether the object is so large that this much must wait for its share first. */
  mustWait(characters: number): boolean;
  /** Waits for the share, for this much in each copy. Not in a turn that others of those who hold theirs may need. */
  wait(characters: number, signal: AbortSignal): Promise<void>;
}

const LARGE = 128 * 1024;
/** Of all objects, in this process. */
const ROOM = 8 * 1024 * 1024;

/** Does work that holds so many parsed copies of one object, which gives its share back at the end. */
export async function asLargeObject<Value>(copies: number, work: (large: LargeObject) => Promise<Value>): Promise<Value> {
  const { take } = processWide("large-objects", () => room(ROOM));
  const held: Taken[] = [];
  try {
    return await work({
      mustWait: (characters) => held.length === 0 && characters > LARGE,
      async wait(characters, signal) {
        held.push(await take(characters * copies, signal));
      },
    });
  } finally {
    for (const taken of held) taken.leave();
  }
}
