// The budget of the console: all scripts and styles, gzipped, under 150 KB. A Vite plugin, so that a build over it fails.
import {gzipSync} from 'node:zlib';

const budget = 150_000;

export function checkSize() {
  return {
    name: 'check-size',
    writeBundle(_, bundle) {
      const sizes = Object.values(bundle).filter((file) => /\.(js|css)$/.test(file.fileName))
        .map((file) => ({name: file.fileName, bytes: gzipSync(file.type === 'chunk' ? file.code : file.source, {level: 9}).length}));
      const total = sizes.reduce((sum, {bytes}) => sum + bytes, 0);
      const lines = sizes.sort((a, b) => b.bytes - a.bytes).map(({name, bytes}) => `${String(bytes).padStart(8)}  ${name}`);
      if (total > budget) this.error(`${total} bytes gzipped, ${budget} are allowed:\n${lines.join('\n')}`);
      console.log(`${total} of ${budget} bytes gzipped`);
    },
  };
}
