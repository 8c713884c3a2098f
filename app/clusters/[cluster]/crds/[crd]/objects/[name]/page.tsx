import { decodedParams } from "#app/decoded-params.ts";
import { ObjectView } from "#components/objects/object-view.tsx";
import { Title } from "#components/shell/title.tsx";
import { shownName } from "#lib/domain/wording/quoted.ts";

type Props = PageProps<"/clusters/[cluster]/crds/[crd]/objects/[name]">;

export default async function ObjectPage({ params }: Props) {
  const { cluster, crd, name } = await decodedParams(params);
  return (
    <>
      <Title>{shownName(name)}</Title>
      <ObjectView cluster={cluster} crd={crd} name={name} />
    </>
  );
}
