import { readVersionYaml } from "#lib/cluster/definitions/versions/version-yaml.ts";
import { clusterRoute } from "#lib/http/cluster-route.ts";

export const dynamic = "force-dynamic";

export const GET = clusterRoute<"cluster" | "crd" | "version">(async ({ request, params, connection }) => {
  const yaml = await readVersionYaml(connection, params.crd, params.version, request.signal);
  return new Response(yaml, { headers: { "content-type": "application/yaml; charset=utf-8", "cache-control": "no-store" } });
});
