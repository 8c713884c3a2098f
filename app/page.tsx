import { FirstCluster } from "#components/shell/first-cluster.tsx";
import { Header } from "#components/shell/header.tsx";

export default function HomePage() {
  return (
    <>
      <title>crdshift</title>
      <Header />
      <main id="main" tabIndex={-1} className="mx-auto max-w-[1600px] outline-none">
        <FirstCluster />
      </main>
    </>
  );
}
