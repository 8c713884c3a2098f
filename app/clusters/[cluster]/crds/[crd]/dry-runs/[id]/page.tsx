import { decodedParams } from "#app/decoded-params.ts";
import { DryRunView } from "#components/dry-run/dry-run.tsx";
import { Title } from "#components/shell/title.tsx";

type Props = PageProps<"/clusters/[cluster]/crds/[crd]/dry-runs/[id]">;

export default async function DryRunPage({ params }: Props) {
  const { cluster, crd, id } = await decodedParams(params);
  return (
    <>
      <Title>{`Dry run of ${crd}`}</Title>
      <DryRunView cluster={cluster} crd={crd} id={id} />
    </>
  );
}
