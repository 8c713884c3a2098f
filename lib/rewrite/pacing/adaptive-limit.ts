export const START = 4;
export const MIN = 1;
/** Saturates one API server on two cores; in measurements, more connections gained nothing. */
export const MAX = 24;

/** The limit of concurrent requests, which adapts to every answer. */
export interface AdaptiveLimit {
  current(): number;
  /** An answer took `latencyMs`; `underWay` requests were open when its request was sent. */
  answered(latencyMs: number, underWay: number): void;
  /** The API server asked to slow down, or did not answer in time. */
  overloaded(now: number): void;
  /** How long to send nothing after an answer that took `latencyMs`. */
  restMs(latencyMs: number): number;
}
