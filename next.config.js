/** @type {import("next").NextConfig} */
export default {
  // Shared with the server in front. The Kubernetes client is compiled in: all that is not used of it stays out of memory.
  serverExternalPackages: ["undici"],
  // Types and lint are checked by `npm test`, once, for everything.
  typescript: { ignoreBuildErrors: true },
  poweredByHeader: false,
  // No picture needs it, and it has been a way in before.
  images: { unoptimized: true },
  reactStrictMode: true,
  // Event streams must not be buffered, and everything is loopback or behind a proxy that compresses.
  compress: true,
  devIndicators: false,
  // Browsers ask for it before they have read that the icon is elsewhere.
  redirects: async () => [{ source: "/favicon.ico", destination: "/icon.svg", permanent: false }],
};
