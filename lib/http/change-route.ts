import { CONFIRM_HEADER, REASON_HEADER } from "#lib/contract/protection.ts";
import { type Justification, justifyChange } from "#lib/rewrite/guards/justify-change.ts";
import { type AskedOfCluster, clusterRoute } from "./cluster-route.ts";

/** What is asked of a definition or its objects that changes them, with the reason where it is protected. */
export interface AskedChange<Names extends string> extends AskedOfCluster<Names> {
  reason: string | null;
}

/** clusterRoute for what changes a definition or its objects: a protected one only with its name and a reason. Not for what stops a change. */
export function changeRoute<Names extends string>(run: (asked: AskedChange<Names | "crd">) => Promise<Response>) {
  return clusterRoute<Names | "crd">(async (asked) => {
    const { reason, tell } = await requireReason(asked);
    const response = await run({ ...asked, reason });
    tell();
    return response;
  });
}

/** The same where only more than the path tells whether something is changed. Throws AppError precondition_failed. */
export function requireReason({ request, params, connection }: AskedOfCluster<"crd">): Promise<Justification> {
  const { headers, signal } = request;
  return justifyChange(connection, params.crd, { confirm: headers.get(CONFIRM_HEADER), reason: headers.get(REASON_HEADER), signal });
}
