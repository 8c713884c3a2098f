import { connect } from "#lib/cluster/connection.ts";
import { readVersionYaml } from "#lib/cluster/read-version-yaml.ts";
import { handle } from "#lib/http/handle.ts";

export const dynamic = "force-dynamic";

export const GET = handle<"cluster" | "crd" | "version">(async ({ request, params }) => {
  const yaml = await readVersionYaml(await connect(params.cluster), params.crd, params.version, request.signal);
  return new Response(yaml, { headers: { "content-type": "application/yaml; charset=utf-8", "cache-control": "no-store" } });
});
