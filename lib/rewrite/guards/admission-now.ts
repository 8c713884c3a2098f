import type { Connection } from "#lib/cluster/connection/connection.ts";
import { mutatingAdmission, readMutating } from "#lib/cluster/definitions/mutating-admission.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { AdmissionNow } from "./loss-guard.ts";

const READ_EVERY_MS = 60_000;

/** Reads mutatingAdmission when it is asked for, at most once a minute: what is installed while a run works is noticed by then. */
export function admissionNow(connection: Connection, crd: Crd, version: string, signal: AbortSignal): AdmissionNow {
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<string | null> = Promise.resolve(null);
  return () => {
    const now = performance.now();
    if (now - readAt > READ_EVERY_MS) {
      readAt = now;
      reading = mutatingAdmission(readMutating(connection, crd, version, signal), signal);
    }
    return reading;
  };
}
