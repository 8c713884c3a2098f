import type { Connection } from "#lib/cluster/connection/connection.ts";
import { mutatingAdmission, readMutating } from "#lib/cluster/definitions/mutating-admission.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { Gate } from "#lib/rewrite/pacing/outage-gate.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";
import { type AdmissionNow, type AdmissionWatch, watchAdmission } from "./admission-watch.ts";

/** Reads mutatingAdmission when it is asked for, at most every five seconds: what is installed meanwhile is noticed by then. */
export function admissionNow(connection: Connection, crd: Crd, version: string, signal: AbortSignal): AdmissionNow {
  return watchAdmission(() => mutatingAdmission(readMutating(connection, crd, version, signal), signal)).now;
}

/** The watch over what may change a run's objects. */
export function admissionOf(connection: Connection, crd: Crd, version: string, gate: Gate, signal: AbortSignal): AdmissionWatch {
  return watchAdmission(({ patient }) => {
    const reading = patient
      ? readMutating(connection, crd, version, signal, (request) => throughGate(gate, signal, request))
      : readMutating(connection, crd, version, signal);
    return mutatingAdmission(reading, signal);
  });
}
