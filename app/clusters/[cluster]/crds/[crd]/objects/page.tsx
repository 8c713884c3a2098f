import { decodedParams } from "#app/decoded-params.ts";
import { Objects } from "#components/objects/objects.tsx";
import { Title } from "#components/shell/title.tsx";

type Props = PageProps<"/clusters/[cluster]/crds/[crd]/objects">;

export default async function ObjectsPage({ params }: Props) {
  const { cluster, crd } = await decodedParams(params);
  return (
    <>
      <Title>{`Objects of ${crd}`}</Title>
      <Objects cluster={cluster} crd={crd} />
    </>
  );
}
