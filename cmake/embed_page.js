// Writes a file as a C array: node embed_page.js PAGE ARRAY
const fs = require("fs");
const path = require("path");

const [page, array] = process.argv.slice(2);
const bytes = fs.readFileSync(page);
if (!bytes.includes('{"percuss":"no data"}')) {
  console.error(`${page}: has no place for the data`);
  process.exit(1);
}

const PER_LINE = 32;
const lines = [];
for (let i = 0; i < bytes.length; i += PER_LINE) {
  lines.push(Array.from(bytes.subarray(i, i + PER_LINE)).join(","));
}
const text = `#include <stddef.h>

extern const unsigned char pcs_viewer_page[];
extern const size_t pcs_viewer_page_size;
const unsigned char pcs_viewer_page[] = {
${lines.join(",\n")}
};
const size_t pcs_viewer_page_size = sizeof pcs_viewer_page;
`;
fs.mkdirSync(path.dirname(array), { recursive: true });
fs.writeFileSync(array, text);
