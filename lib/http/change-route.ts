import { CONFIRM_HEADER, REASON_HEADER } from "#lib/contract/protection.ts";
import { type Justification, justifyChange } from "#lib/rewrite/guards/justify-change.ts";
import { type AskedOfCluster, clusterRoute } from "./cluster-route.ts";

/** A request that changes a definition or its objects, with the reason if the definition is protected. */
export interface AskedChange<Names extends string> extends AskedOfCluster<Names> {
  reason: string | null;
}

/** clusterRoute for changes to a definition or its objects; protected ones need the name and a reason. Not for stopping a change. */
export function changeRoute<Names extends string>(run: (asked: AskedChange<Names | "crd">) => Promise<Response>) {
  return clusterRoute<Names | "crd">(async (asked) => {
    const { reason, tell } = await requireReason(asked);
    const response = await run({ ...asked, reason });
    tell();
    return response;
  });
}

/** The same check, for routes where the path alone doesn't say whether they change anything. Throws AppError precondition_failed. */
export function requireReason({ request, params, connection }: AskedOfCluster<"crd">): Promise<Justification> {
  const { headers, signal } = request;
  return justifyChange(connection, params.crd, { confirm: headers.get(CONFIRM_HEADER), reason: headers.get(REASON_HEADER), signal });
}
