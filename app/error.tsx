"use client";

import { Header } from "#components/shell/header.tsx";
import { Button } from "#components/ui/button.tsx";
import { CodeBlock } from "#components/ui/code-block.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";

export default function ErrorPage({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <>
      <Header />
      <main id="main" tabIndex={-1} className="outline-none">
        <EmptyState title="This page broke">
          <p>That is a fault in crdshift, not in your cluster. Rewrites run in the server and are not affected.</p>
          <div className="w-full">
            <CodeBlock text={error.digest ? `${error.message} (${error.digest})` : error.message} copyLabel="Copy the error" />
          </div>
          <Button onClick={reset}>Show it again</Button>
        </EmptyState>
      </main>
    </>
  );
}
