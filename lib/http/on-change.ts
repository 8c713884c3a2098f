import { CONFIRM_HEADER, REASON_HEADER } from "#lib/contract/protection.ts";
import { justifyChange } from "#lib/rewrite/justify-change.ts";
import { type AskedOfCluster, onCluster } from "./on-cluster.ts";

/** onCluster for what changes a definition or its objects: a protected one only with its name and a reason. Not for what stops a change. */
export function onChange<Names extends string>(run: (asked: AskedOfCluster<Names | "crd">) => Promise<Response>) {
  return onCluster<Names | "crd">(async (asked) => {
    const tellReason = await requireReason(asked);
    const response = await run(asked);
    tellReason();
    return response;
  });
}

/** The same where only the body tells whether something is changed: gives what tells of the reason. Throws AppError precondition_failed. */
export function requireReason({ request, params, connection }: AskedOfCluster<"crd">): Promise<() => void> {
  const { headers, signal } = request;
  return justifyChange(connection, params.crd, {
    confirm: headers.get(CONFIRM_HEADER),
    reason: decoded(headers.get(REASON_HEADER)),
    signal,
  });
}

function decoded(text: string | null): string | null {
  try {
    return text === null ? null : decodeURIComponent(text);
  } catch {
    return null;
  }
}
