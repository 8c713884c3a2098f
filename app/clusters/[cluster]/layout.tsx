import { decodedParams } from "#app/decoded-params.ts";
import { KubectlScope } from "#components/shared/kubectl-scope.tsx";
import { Shell } from "#components/shell/shell.tsx";

export default async function ClusterLayout({ children, params }: LayoutProps<"/clusters/[cluster]">) {
  const { cluster } = await decodedParams(params);
  return (
    <KubectlScope cluster={cluster}>
      <Shell cluster={cluster}>{children}</Shell>
    </KubectlScope>
  );
}
