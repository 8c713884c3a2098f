import type { Metadata } from "next";
import { DryRunView } from "#components/dry-run/dry-run.tsx";

type Props = PageProps<"/clusters/[cluster]/crds/[crd]/dry-runs/[id]">;

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: `Dry run of ${(await params).crd}` };
}

export default async function DryRunPage({ params }: Props) {
  const { cluster, crd, id } = await params;
  return <DryRunView cluster={decodeURIComponent(cluster)} crd={decodeURIComponent(crd)} id={decodeURIComponent(id)} />;
}
