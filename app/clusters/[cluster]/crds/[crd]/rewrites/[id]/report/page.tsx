import type { Metadata } from "next";
import { Report } from "#components/report/report.tsx";

type Props = PageProps<"/clusters/[cluster]/crds/[crd]/rewrites/[id]/report">;

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: `Report: rewrite of ${(await params).crd}` };
}

export default async function ReportPage({ params }: Props) {
  const { cluster, crd, id } = await params;
  return <Report cluster={decodeURIComponent(cluster)} crd={decodeURIComponent(crd)} id={decodeURIComponent(id)} />;
}
