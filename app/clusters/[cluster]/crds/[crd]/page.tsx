import { decodedParams } from "#app/decoded-params.ts";
import { Definition } from "#components/definition/definition.tsx";
import { Title } from "#components/shell/title.tsx";

export default async function DefinitionPage({ params }: PageProps<"/clusters/[cluster]/crds/[crd]">) {
  const { cluster, crd } = await decodedParams(params);
  return (
    <>
      <Title>{crd}</Title>
      <Definition cluster={cluster} crd={crd} />
    </>
  );
}
