import {defineConfig} from 'vite';
import {checkSize} from './scripts/check_size.mjs';
import {notices} from './scripts/notices.mjs';

// The paths that the server answers. `npm run dev` hands them on to a running one, so that the page and the API have one origin, as in
// the binary.
const server = process.env['BRAIDLOG_URL'] ?? 'http://127.0.0.1:8000';
const paths = ['/auth', '/sessions', '/api', '/runs', '/watch', '/console', '/agents', '/alerts', '/health', '/ready', '/metrics', '/chat',
  '/conversations', '/openapi.json', '/docs'];

// The chat, which opens first, needs the shell and Markdown; the other panels come as one, and what is large and rare comes by itself.
function chunkOf(id: string): string | undefined {
  if (/node_modules\/(preact|@preact)\/(?!compat)|\/src\/(hub|api|router|theme|memory|pending_approvals|ui\/(exact_json|parts|format|dialog|toast|hidden_chars))/.test(id)) return 'base';
  if (/node_modules\/(marked|dompurify|remend)\/|\/src\/ui\/(markdown|code_block)/.test(id)) return 'markdown';
  if (/node_modules\/uplot\//.test(id)) return 'plot';
  if (/highlight/.test(id)) return 'highlight';
  if (/\/src\/panels\/chat\//.test(id)) return 'chat';
  if (/\/src\/panels\/[a-z_]+\/|node_modules\/(virtua|preact\/compat)\//.test(id)) return 'panels';
  return undefined;
}

export default defineConfig({
  plugins: [notices(), checkSize()],
  esbuild: {jsx: 'automatic', jsxImportSource: 'preact'},
  resolve: {
    alias: {'react/jsx-runtime': 'preact/jsx-runtime', 'react-dom': 'preact/compat', react: 'preact/compat'},
    // virtua names React as its peer; both must end at the one copy of Preact.
    dedupe: ['preact'],
  },
  worker: {format: 'es'},
  build: {
    target: 'es2022',
    minify: 'terser',
    terserOptions: {compress: {passes: 3, unsafe_arrows: true}, format: {comments: false}},
    // The policy of the page forbids data: scripts and styles; small files stay files.
    assetsInlineLimit: 0,
    modulePreload: {polyfill: false},
    reportCompressedSize: false,
    // Few files: small ones compress badly, and the page is to stay under its budget (scripts/check_size.mjs).
    cssCodeSplit: false,
    rollupOptions: {output: {manualChunks: chunkOf}},
  },
  server: {
    // changeOrigin stays off: the server compares Host and Origin, and both are the address of this page.
    proxy: Object.fromEntries(paths.map((path) => [`^${path}(/|\\?|$)`, {target: server, changeOrigin: false}])),
  },
});
