import vue from '@vitejs/plugin-vue';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

// Addresses are relative, since an instance may live below a path: the server puts that path into the document.
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  plugins: [vue()],
  build: {
    outDir: fileURLToPath(new URL('../../../dist/web-client', import.meta.url)),
    emptyOutDir: true,
    // A style or picture inside of another file would need a wider content security policy.
    assetsInlineLimit: 0,
    sourcemap: false,
    // The server's own pages find their styles and scripts in it.
    manifest: true,
    rollupOptions: {
      input: {
        index: fileURLToPath(new URL('index.html', import.meta.url)),
        viewer: fileURLToPath(new URL('viewer.html', import.meta.url)),
        passkey: fileURLToPath(new URL('src/guest/passkey.ts', import.meta.url)),
        launch: fileURLToPath(new URL('src/guest/launch.ts', import.meta.url)),
        guest: fileURLToPath(new URL('src/guest/guest.ts', import.meta.url)),
      },
    },
  },
  define: {
    __VUE_OPTIONS_API__: 'false',
    __VUE_PROD_DEVTOOLS__: 'false',
    __INTLIFY_PROD_DEVTOOLS__: 'false',
  },
});
