/** Whether the crdshift server answers this tab. */
export interface ServerContact {
  /** The start of the silence: the last answer, or the first unanswered request if there was none. Null while the server answers. */
  lostSince: number | null;
  lastAnswerAt: number | null;
}

let contact: ServerContact = { lostSince: null, lastAnswerAt: null };
let clockOffsetMs = 0;
let underWay = new AbortController();
const listeners = new Set<() => void>();

export function serverContact(): ServerContact {
  return contact;
}

export function subscribeServerContact(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Every answer counts, including errors and events. `date` is its Date header. */
export function recordAnswer(date: string | null): void {
  if (date) observeServerClock(date);
  const lost = contact.lostSince !== null;
  contact = { lostSince: null, lastAnswerAt: Date.now() };
  if (lost) for (const listener of listeners) listener();
}

export function recordNoAnswer(): void {
  if (contact.lostSince !== null) return;
  contact = { ...contact, lostSince: contact.lastAnswerAt ?? Date.now() };
  for (const listener of listeners) listener();
}

/** Aborts once requests in flight won't be answered. */
export function untilAbandoned(): AbortSignal {
  return underWay.signal;
}

/** Aborts every request in flight: the server does not answer, and on a dead connection they would hang forever. */
export function abandonRequests(): void {
  underWay.abort();
  underWay = new AbortController();
}

/** Times in answers use the server's clock, which may differ from the browser's. */
export function observeServerClock(time: string): void {
  const offsetMs = Date.parse(time) - Date.now();
  // A Date header has whole seconds and is some milliseconds old, so smaller differences mean nothing.
  if (Number.isFinite(offsetMs)) clockOffsetMs = Math.abs(offsetMs) > 2_000 ? offsetMs : 0;
}

/** Milliseconds since the epoch by the server's clock. */
export function serverNow(): number {
  return Date.now() + clockOffsetMs;
}
