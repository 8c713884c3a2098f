import { createRoom } from "./create-room.ts";
import { forEachConcurrently } from "./for-each-concurrently.ts";

/**
 * forEachConcurrently, and an item's work begins only if it and those at work have no more than `mostBytes` together. What is larger is at
 * work alone. One item is taken ahead, and waits. `bytes` are whole numbers.
 */
export async function forEachInRoom<Item extends { bytes: number }>(
  items: AsyncIterable<Item>,
  { mostBytes, ...options }: Parameters<typeof forEachConcurrently>[1] & { mostBytes: number },
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const room = createRoom(mostBytes);
  async function* asRoomAllows(): AsyncGenerator<Item> {
    for await (const item of items) {
      await room.take(item.bytes, options.signal);
      yield item;
    }
  }
  await forEachConcurrently(asRoomAllows(), options, (item) => work(item).finally(() => room.give(item.bytes)));
}
