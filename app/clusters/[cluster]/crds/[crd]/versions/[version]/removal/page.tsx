import { decodedParams } from "#app/decoded-params.ts";
import { RemovalPath } from "#components/removal/removal-path.tsx";
import { Title } from "#components/shell/title.tsx";

type Props = PageProps<"/clusters/[cluster]/crds/[crd]/versions/[version]/removal">;

export default async function RemovalPage({ params }: Props) {
  const { cluster, crd, version } = await decodedParams(params);
  return (
    <>
      <Title>{`Removal of ${version} from ${crd}`}</Title>
      <RemovalPath cluster={cluster} crd={crd} version={version} />
    </>
  );
}
