import type { Metadata } from "next";
import { Objects } from "#components/objects/objects.tsx";

type Props = PageProps<"/clusters/[cluster]/crds/[crd]/objects">;

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: `Objects of ${(await params).crd}` };
}

export default async function ObjectsPage({ params }: Props) {
  const { cluster, crd } = await params;
  return <Objects cluster={decodeURIComponent(cluster)} crd={decodeURIComponent(crd)} />;
}
