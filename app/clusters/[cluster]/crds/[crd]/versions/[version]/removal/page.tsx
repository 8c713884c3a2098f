import type { Metadata } from "next";
import { RemovalPath } from "#components/removal/removal-path.tsx";

type Props = PageProps<"/clusters/[cluster]/crds/[crd]/versions/[version]/removal">;

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { crd, version } = await params;
  return { title: `Removal of ${version} from ${crd}` };
}

export default async function RemovalPage({ params }: Props) {
  const { cluster, crd, version } = await params;
  return <RemovalPath cluster={decodeURIComponent(cluster)} crd={decodeURIComponent(crd)} version={decodeURIComponent(version)} />;
}
