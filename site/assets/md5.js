// A worker that tells the MD5 of files, which browsers cannot compute themselves. It reads a file piece by
// piece, so that no file is too large for it.

const step = 4 << 20; // bytes at a time, in blocks of 64
const sines = Int32Array.from({ length: 64 }, (_, i) => Math.floor(Math.abs(Math.sin(i + 1)) * 2 ** 32));
const turns = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21];

/** Takes blocks into a sum (RFC 1321). @param {Int32Array} sum @param {Int32Array} words 16 for each block */
function take(sum, words) {
  for (let at = 0; at < words.length; at += 16) {
    let [a, b, c, d] = sum, t = 0, by = 0;
    for (let i = 0; i < 64; i++) { // one loop, as engines compile it well only without a function in it
      if (i < 16) t = (d ^ b & (c ^ d)) + words[at + i];
      else if (i < 32) t = (c ^ d & (b ^ c)) + words[at + (5 * i + 1 & 15)];
      else if (i < 48) t = (b ^ c ^ d) + words[at + (3 * i + 5 & 15)];
      else t = (c ^ (b | ~d)) + words[at + (7 * i & 15)];
      t = (t + a + sines[i]) | 0;
      by = turns[i >> 4 << 2 | i & 3];
      a = d; d = c; c = b;
      b = (b + (t << by | t >>> 32 - by)) | 0;
    }
    sum[0] += a; sum[1] += b; sum[2] += c; sum[3] += d;
  }
}

/** @param {Int32Array} sum @param {Uint8Array} rest less than a block more than whole ones @param {number} size of all, in bytes */
function finish(sum, rest, size) {
  const last = new Uint8Array((rest.length + 72 >> 6) << 6);
  last.set(rest);
  last[rest.length] = 128;
  const end = new DataView(last.buffer);
  end.setUint32(last.length - 8, size * 8 % 2 ** 32, true);
  end.setUint32(last.length - 4, Math.floor(size / 2 ** 29), true);
  take(sum, new Int32Array(last.buffer));
  return Array.from(new Uint8Array(sum.buffer), (n) => n.toString(16).padStart(2, "0")).join("");
}

onmessage = async ({ data: { id, file } }) => {
  try {
    const sum = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476);
    let rest = new Uint8Array(0);
    for (let at = 0; at < file.size; at += step) {
      const piece = await file.slice(at, at + step).arrayBuffer();
      const whole = piece.byteLength & ~63;
      take(sum, new Int32Array(piece, 0, whole >> 2));
      rest = new Uint8Array(piece, whole);
      postMessage({ id, done: at + piece.byteLength });
    }
    postMessage({ id, md5: finish(sum, rest, file.size) });
  } catch (e) {
    postMessage({ id, error: String(e) });
  }
};
