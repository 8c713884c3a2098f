import type { ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import type { SampleConversion } from "#lib/local-cluster/sample-definition.ts";
import { type Review, type ReviewedObject, reviewServer, sendJson } from "./webhook-server.ts";

/** A conversion webhook's fault: in the connection, in its answers, or in the objects it returns. */
export type ConversionFault =
  | { kind: "refuses" | "hangs" | "wrong uid" | "HTTP 500" | "broken JSON" | "too few objects" }
  /** One of two instances behind one address is down: every other call fails. */
  | { kind: "half down" }
  | { kind: "delays"; ms: number }
  | { kind: "changes"; change(object: ReviewedObject): object }
  /** The webhook refuses, with its message or null. */
  | { kind: "fails"; message: string | null };

/** A conversion webhook that changes only the apiVersion. A test can break and heal it while it runs. */
export interface BreakableConversion {
  conversion: SampleConversion;
  /** The number of requests received. */
  calls(): number;
  break(fault: ConversionFault): void;
  heal(): Promise<void>;
}

export async function breakableConversion(): Promise<BreakableConversion> {
  let fault: ConversionFault | null = null;
  const { clientConfig, calls, refuse, accept } = await reviewServer((review, response) =>
    answer(review, response, fault?.kind === "half down" ? (calls() % 2 ? { kind: "HTTP 500" } : null) : fault),
  );
  return {
    conversion: { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } },
    calls,
    break(next) {
      fault = next;
      if (next.kind === "refuses") refuse();
    },
    async heal() {
      const wasRefusing = fault?.kind === "refuses";
      fault = null;
      if (wasRefusing) await accept();
    },
  };
}

async function answer({ apiVersion, kind, request }: Review, response: ServerResponse, fault: ConversionFault | null): Promise<void> {
  const objects = (request.objects ?? []).map((object) => ({ ...object, apiVersion: request.desiredAPIVersion ?? "" }));
  const send = (uid: string, convertedObjects: object[], result: object = { status: "Success" }) =>
    sendJson(response, { apiVersion, kind, response: { uid, result, convertedObjects } });
  switch (fault?.kind) {
    case "hangs":
      return;
    case "delays":
      await wait(fault.ms);
      return send(request.uid, objects);
    case "wrong uid":
      return send("somebody-elses", objects);
    case "HTTP 500":
      return void response.writeHead(500, { "content-type": "text/plain" }).end("out of memory");
    case "broken JSON":
      return void response.writeHead(200, { "content-type": "application/json" }).end('{"kind": "ConversionReview", ');
    case "too few objects":
      return send(request.uid, objects.slice(1));
    case "changes":
      return send(request.uid, objects.map(fault.change));
    case "fails":
      return send(request.uid, [], { status: "Failed", ...(fault.message !== null && { message: fault.message }) });
    default:
      return send(request.uid, objects);
  }
}
