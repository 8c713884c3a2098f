import { decodedParams } from "#app/decoded-params.ts";
import { Engines } from "#components/engines/engines.tsx";
import { Title } from "#components/shell/title.tsx";

export default async function EnginesPage({ params }: PageProps<"/clusters/[cluster]/engines">) {
  const { cluster } = await decodedParams(params);
  return (
    <>
      <Title>Engines</Title>
      <Engines cluster={cluster} />
    </>
  );
}
