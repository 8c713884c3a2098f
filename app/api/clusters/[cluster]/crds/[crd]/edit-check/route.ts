import { checkEdit, versionToTellOf } from "#lib/cluster/definitions/check-edit.ts";
import { editCheckBodySchema } from "#lib/contract/definition/edit-check.ts";
import { clusterRoute } from "#lib/http/cluster-route.ts";
import { json } from "#lib/http/json.ts";
import { readBody } from "#lib/http/read-body.ts";

export const dynamic = "force-dynamic";

export const POST = clusterRoute<"cluster" | "crd">(async ({ request, params, connection }) => {
  await readBody(request, editCheckBodySchema);
  const { signal } = request;
  return json(await checkEdit(connection, params.crd, await versionToTellOf(connection, signal), signal));
});
