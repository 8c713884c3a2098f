import { decodedParams } from "#app/decoded-params.ts";
import { Report } from "#components/report/report.tsx";
import { Title } from "#components/shell/title.tsx";

type Props = PageProps<"/clusters/[cluster]/crds/[crd]/rewrites/[id]/report">;

export default async function ReportPage({ params }: Props) {
  const { cluster, crd, id } = await decodedParams(params);
  return (
    <>
      <Title>{`Report: rewrite of ${crd}`}</Title>
      <Report cluster={cluster} crd={crd} id={id} />
    </>
  );
}
