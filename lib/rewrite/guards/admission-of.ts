import type { Connection } from "#lib/cluster/connection/connection.ts";
import { mutatingAdmission, readMutating } from "#lib/cluster/definitions/mutating-admission.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { Gate } from "#lib/rewrite/pacing/outage-gate.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";
import { type AdmissionWatch, watchAdmission } from "./admission-watch.ts";

/** The watch over what may change a run's objects. */
export function admissionOf(connection: Connection, crd: Crd, version: string, gate: Gate, signal: AbortSignal): AdmissionWatch {
  return watchAdmission(({ patient, within = signal }) => {
    const request = { connection, crd, version, signal: within };
    const reading = patient ? readMutating(request, (send) => throughGate(gate, within, send)) : readMutating(request);
    return mutatingAdmission(reading, within);
  });
}
