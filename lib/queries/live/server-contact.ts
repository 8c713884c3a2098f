/** What this tab knows of the crdshift server: whether it answers, and what its clock says. */
export interface ServerContact {
  /** Since when nothing has answered: the last answer, or the first request without one where there was none. Null while the server answers. */
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

/** Every answer counts, an error too, and so does an event. `date` is its Date header. */
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

/** Aborts once nobody will answer what is under way. */
export function untilAbandoned(): AbortSignal {
  return underWay.signal;
}

/** Ends every request that is under way: the server does not answer, and a dead connection would keep them for ever. */
export function abandonRequests(): void {
  underWay.abort();
  underWay = new AbortController();
}

/** Times in answers are the server's; a port-forwarded server's clock need not be this browser's. */
export function observeServerClock(time: string): void {
  const offsetMs = Date.parse(time) - Date.now();
  // A Date header has whole seconds and is some milliseconds old: smaller differences say nothing.
  if (Number.isFinite(offsetMs)) clockOffsetMs = Math.abs(offsetMs) > 2_000 ? offsetMs : 0;
}

/** Milliseconds since the epoch by the server's clock. */
export function serverNow(): number {
  return Date.now() + clockOffsetMs;
}
