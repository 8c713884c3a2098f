/** How a request about one object ended, after all retries. */
export type ObjectAnswer<Value> = { kind: "answered"; value: Value } | { kind: "gone" } | ObjectRejection;

/** The server's refusal of this object. */
export interface ObjectRejection {
  kind: "rejected";
  reason: string;
  message: string;
  /** Whether it is a failure that may be temporary, such as a webhook's, and that was tried often enough. */
  mayBeTemporary?: true;
  /** Whether an earlier try got no answer, and may have been stored all the same. */
  mayBeStored?: true;
}
