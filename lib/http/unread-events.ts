import { processWide } from "#lib/process-wide/process-wide.ts";

/**
 * Unread bytes after which a slow reader is disconnected; it reconnects and reads everything again. A fleet's first list is sent in one
 * turn of the event loop, a kilobyte for each definition, and its readers must survive that.
 */
const MOST_OF_STREAM = 8 * 1024 * 1024;
/** Unread bytes of all readers together, what several have unread counted once. Beyond, whoever has most unread is disconnected. */
const MOST_OF_PROCESS = 64 * 1024 * 1024;

/** Bytes that are written together. Written one by one, a thousand messages to each of a thousand readers are a second of turns. */
const MOST_AT_ONCE = 64 * 1024;

/** Bytes for one or more event streams, and how many of them have not sent it. */
export interface Message {
  readonly bytes: Uint8Array;
  waiting: number;
}

/** What one stream has still to send, oldest first. */
export interface UnreadEvents {
  add(message: Message): void;
  /** What fits into 64 KiB, or one message; null if there is nothing left. */
  take(): Uint8Array | null;
  /** Forgets what is unread, and takes no more. */
  close(): void;
}

interface UnreadBytes {
  bytes: number;
  overflow: () => void;
}

interface AllUnread {
  bytes: number;
  ofStreams: Set<UnreadBytes>;
}

function allUnread(): AllUnread {
  return processWide("unread-events", () => ({ bytes: 0, ofStreams: new Set() }));
}

/**
 * The unread events of one stream. Closes them and calls `onOverflow` once they are too long, or the longest while all together are too
 * long.
 */
export function openUnreadEvents(onOverflow: () => void): UnreadEvents {
  const all = allUnread();
  let messages: Message[] = [];
  let taken = 0;
  /** Not read yet, as far as is known: they count until the reader asks for more. */
  let handedOut: Message[] = [];
  // Closed here: a stream that is only about to listen would stay the longest, and be told for ever.
  const overflow = () => {
    close();
    onOverflow();
  };
  const own: UnreadBytes = { bytes: 0, overflow };
  const release = (message: Message) => {
    own.bytes -= message.bytes.length;
    message.waiting -= 1;
    if (message.waiting === 0) all.bytes -= message.bytes.length;
  };
  const close = () => {
    all.ofStreams.delete(own);
    for (const message of [...handedOut, ...messages.slice(taken)]) release(message);
    [handedOut, messages, taken] = [[], [], 0];
  };
  all.ofStreams.add(own);
  return {
    add(message) {
      if (!all.ofStreams.has(own)) return;
      messages.push(message);
      own.bytes += message.bytes.length;
      message.waiting += 1;
      if (message.waiting === 1) all.bytes += message.bytes.length;
      if (own.bytes > MOST_OF_STREAM) overflow();
      while (all.bytes > MOST_OF_PROCESS && all.ofStreams.size > 0) longest(all).overflow();
    },
    take() {
      for (const message of handedOut) release(message);
      handedOut = [];
      const first = messages[taken];
      if (!first) return null;
      const together = [first];
      let bytes = first.bytes.length;
      for (let next = messages[taken + 1]; next && bytes + next.bytes.length <= MOST_AT_ONCE; next = messages[taken + together.length]) {
        together.push(next);
        bytes += next.bytes.length;
      }
      taken += together.length;
      // Not for each message: removing the first of thousands moves all others.
      if (taken * 2 > messages.length) [messages, taken] = [messages.slice(taken), 0];
      handedOut = together;
      return together.length === 1 ? first.bytes : Buffer.concat(together.map((message) => message.bytes));
    },
    close,
  };
}

function longest({ ofStreams }: AllUnread): UnreadBytes {
  return [...ofStreams].reduce((one, other) => (other.bytes > one.bytes ? other : one));
}
