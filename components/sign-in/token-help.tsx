import { CodeBlock } from "#components/ui/code-block.tsx";

const commands = [
  {
    what: "Of a service account:",
    text: "kubectl create token SERVICE_ACCOUNT --namespace NAMESPACE --duration=8h",
    copyLabel: "Copy the command for a service account",
  },
  {
    what: "Your own, where your kubeconfig holds one:",
    text: "kubectl config view --raw --minify -o jsonpath='{.users[0].user.token}'",
    copyLabel: "Copy the command for your own",
  },
];

/** How one comes by a token, and what becomes of it here. */
export function TokenHelp() {
  return (
    <section aria-label="How to get a token" className="flex w-full flex-col gap-2 pt-2">
      <h2 className="text-sm font-semibold text-ink">How to get a token</h2>
      <p>
        Any bearer token that the cluster takes will do. crdshift keeps it encrypted in a cookie of this browser, and acts with its rights
        alone.
      </p>
      {commands.map(({ what, text, copyLabel }) => (
        <div key={what} className="flex flex-col gap-1">
          <p>{what}</p>
          <CodeBlock text={text} copyLabel={copyLabel} />
        </div>
      ))}
    </section>
  );
}
