import { decodedParams } from "#app/decoded-params.ts";
import { Fleet } from "#components/fleet/fleet.tsx";
import { Title } from "#components/shell/title.tsx";

export default async function FleetPage({ params }: PageProps<"/clusters/[cluster]">) {
  const { cluster } = await decodedParams(params);
  return (
    <>
      <Title>{cluster}</Title>
      <Fleet cluster={cluster} />
    </>
  );
}
