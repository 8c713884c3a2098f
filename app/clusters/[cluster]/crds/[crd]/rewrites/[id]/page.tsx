import { decodedParams } from "#app/decoded-params.ts";
import { Rewrite } from "#components/rewrite/rewrite.tsx";
import { Title } from "#components/shell/title.tsx";

type Props = PageProps<"/clusters/[cluster]/crds/[crd]/rewrites/[id]">;

export default async function RewritePage({ params }: Props) {
  const { cluster, crd, id } = await decodedParams(params);
  return (
    <>
      <Title>{`Rewrite of ${crd}`}</Title>
      <Rewrite cluster={cluster} crd={crd} id={id} />
    </>
  );
}
