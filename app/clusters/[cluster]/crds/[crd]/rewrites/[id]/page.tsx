import type { Metadata } from "next";
import { Rewrite } from "#components/rewrite/rewrite.tsx";

type Props = PageProps<"/clusters/[cluster]/crds/[crd]/rewrites/[id]">;

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: `Rewrite of ${(await params).crd}` };
}

export default async function RewritePage({ params }: Props) {
  const { cluster, crd, id } = await params;
  return <Rewrite cluster={decodeURIComponent(cluster)} crd={decodeURIComponent(crd)} id={decodeURIComponent(id)} />;
}
