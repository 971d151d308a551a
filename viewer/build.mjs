// Builds dist/report.html: one page with all scripts and styles inside, ready to take the data.
import { readFile, writeFile, mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import path from 'node:path';
import * as esbuild from 'esbuild';

const here = path.dirname(fileURLToPath(import.meta.url));
const PLACEHOLDER = '{"percuss":"no data"}';

/** Bundles one entry file (script or style sheet) and returns its text. */
async function bundle(entry) {
    const result = await esbuild.build({
        entryPoints: [path.join(here, entry)],
        bundle: true,
        minify: true,
        format: 'iife',
        target: 'es2020',
        charset: 'ascii',
        legalComments: 'none', // the full licence texts go in below
        write: false,
        logLevel: 'warning',
    });
    return result.outputFiles[0].text;
}

/** Licence texts of the packages that end up in the page. */
async function licences() {
    const texts = [];
    for (const name of ['three', 'uplot']) {
        const text = await readFile(path.join(here, 'node_modules', name, 'LICENSE'), 'utf8');
        texts.push(`This page contains ${name}:\n\n${text.trim()}`);
    }
    return `/*\n${texts.join('\n\n').replaceAll('*/', '* /')}\n*/\n`;
}

/** Puts a text in place of a mark that must stand exactly once in the page. */
function fill(page, mark, text) {
    const parts = page.split(mark);
    if (parts.length !== 2) throw new Error(`build: ${mark} stands ${parts.length - 1} times`);
    return parts[0] + text + parts[1];
}

/** A script inside HTML must contain neither an end tag nor the start of an HTML comment. */
function checkInline(text, what) {
    for (const bad of ['</script', '<!--', PLACEHOLDER])
        if (text.toLowerCase().includes(bad)) throw new Error(`build: ${what} contains ${bad}`);
    return text;
}

const template = await readFile(path.join(here, 'src/page.html'), 'utf8');
const style = await bundle('src/style.css');
const script = checkInline((await licences()) + (await bundle('src/main.js')), 'the script');
if (style.includes('</style')) throw new Error('build: the style sheet contains an end tag');

let page = fill(template, '/*STYLE*/', style.trim());
page = fill(page, '/*SCRIPT*/', script);
if (page.split(PLACEHOLDER).length !== 2)
    throw new Error('build: the place of the data is not unique');
if (/\b(?:src|href)\s*=\s*["'](?!data:)/.test(page.replace(script, '')))
    throw new Error('build: the page refers to another file');

await mkdir(path.join(here, 'dist'), { recursive: true });
await writeFile(path.join(here, 'dist/report.html'), page);
console.log(`dist/report.html: ${(page.length / 1024).toFixed(0)} KiB`);
