// Materials and cross-sections of meshes in a model file.
#include <string.h>

#include "io/model_reader.h"

// ---- Materials ----

static pcs_status read_law(pcs_model_reader *reader, const pcs_yaml_node *node,
                           pcs_material_law *law)
{
    const char *names[PCS_MATERIAL_LAW_COUNT];
    int32_t index = 0;
    for (int32_t k = 0; k < PCS_MATERIAL_LAW_COUNT; k++)
        names[k] = pcs_material_law_name((pcs_material_law)k);
    PCS_TRY(pcs_reader_read_choice(reader, node, "material law", names, PCS_MATERIAL_LAW_COUNT,
                                   &index));
    *law = (pcs_material_law)index;
    return PCS_OK;
}

static pcs_status read_numbers(pcs_model_reader *reader, const pcs_yaml_node *map,
                               pcs_material *material)
{
    const pcs_yaml_node *law = pcs_yaml_child(map, "law");
    const pcs_yaml_node *poisson = pcs_yaml_child(map, "poisson");
    *material = pcs_material_default();
    material->poisson = 0.3;
    PCS_TRY(pcs_reader_get_positive(reader, map, "young", &material->young));
    PCS_TRY(pcs_reader_get_positive(reader, map, "density", &material->density));
    PCS_TRY(pcs_reader_get_number(reader, map, "poisson", &material->poisson));
    if (!(material->poisson > -1 && material->poisson < 0.5))
        return pcs_yaml_error(reader->doc, poisson->mark,
                              "'poisson' must lie between -1 and 0.5, but is %g; metals have about "
                              "0.3, rubber 0.49",
                              material->poisson);
    PCS_TRY(pcs_reader_get_in_range(reader, map, "damping", 0, INFINITY, &material->damping));
    return law ? read_law(reader, law, &material->law) : PCS_OK;
}

pcs_status pcs_reader_read_material(pcs_model_reader *reader, const pcs_yaml_node *node,
                                    pcs_material *material)
{
    if (node->kind == PCS_YAML_MAP)
        return read_numbers(reader, node, material);
    int32_t k = pcs_name_table_find(&reader->materials, node->text);
    if (k < 0)
        return pcs_reader_unknown_name(reader, node, "material", &reader->materials);
    return read_numbers(reader, reader->materials.sorted[k], material);
}

pcs_status pcs_reader_read_all_materials(pcs_model_reader *reader)
{
    const pcs_yaml_node *section = pcs_yaml_child(reader->root, "materials");
    for (const pcs_yaml_node *node = section ? section->first : NULL; node; node = node->next) {
        pcs_material unused;
        PCS_TRY(read_numbers(reader, node, &unused));
    }
    return PCS_OK;
}

// ---- Sections ----

// One number for both, or two.
static pcs_status get_pair(pcs_model_reader *reader, const pcs_yaml_node *map, const char *key,
                           double pair[2])
{
    const pcs_yaml_node *node = pcs_yaml_child(map, key);
    if (!node)
        return PCS_OK;
    if (node->kind == PCS_YAML_LIST) {
        PCS_TRY(pcs_reader_read_numbers(reader, node, 2, pair));
    } else {
        PCS_TRY(pcs_reader_read_number(reader, node, &pair[0]));
        pair[1] = pair[0];
    }
    for (int k = 0; k < 2; k++) {
        if (!(pair[k] > 0))
            return pcs_yaml_error(reader->doc, node->mark, "'%s' must be greater than 0, but is %g",
                                  key, pair[k]);
    }
    return PCS_OK;
}

// Shapes, by which all numbers are known.
static pcs_status read_shape(pcs_model_reader *reader, const pcs_yaml_node *map,
                             const pcs_yaml_node *shape, pcs_section *section)
{
    static const char *const numbers[] = {"area", "inertia", "torsion", "shear_area"};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        PCS_TRY(pcs_reader_refuse_key(reader, map, numbers[k], "a section with a shape"));
    double size[2] = {0, 0};
    if (strcmp(shape->key, "circle") == 0) {
        PCS_TRY(pcs_reader_get_positive(reader, map, "circle", &size[0]));
        *section = pcs_section_tube(size[0] / 2, 0);
        return PCS_OK;
    }
    PCS_TRY(pcs_reader_read_numbers(reader, shape, 2, size));
    const bool tube = strcmp(shape->key, "tube") == 0;
    if (!(size[0] > 0) || !(tube ? size[1] >= 0 : size[1] > 0))
        return pcs_yaml_error(reader->doc, shape->mark,
                              "the lengths of a %s must be greater than 0, but are %g and %g",
                              shape->key, size[0], size[1]);
    if (tube && !(size[0] > size[1]))
        return pcs_yaml_error(reader->doc, shape->mark,
                              "the outer diameter %g of a tube must be greater than the inner one, "
                              "%g",
                              size[0], size[1]);
    *section = tube ? pcs_section_tube(size[0] / 2, size[1] / 2)
                    : pcs_section_rectangle(size[0], size[1]);
    return PCS_OK;
}

pcs_status pcs_reader_read_section(pcs_model_reader *reader, const pcs_yaml_node *node,
                                   pcs_section *section)
{
    static const char *const shapes[] = {"rectangle", "circle", "tube"};
    const pcs_yaml_node *shape = NULL;
    *section = pcs_section_default();
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        const pcs_yaml_node *found = pcs_yaml_child(node, shapes[k]);
        if (found && shape)
            return pcs_yaml_error(reader->doc, found->key_mark,
                                  "give either '%s' or '%s', not both", shape->key, found->key);
        shape = found ? found : shape;
    }
    if (shape) {
        PCS_TRY(read_shape(reader, node, shape, section));
    } else {
        if (!pcs_yaml_child(node, "area"))
            return pcs_yaml_error(reader->doc, node->mark,
                                  "a section needs 'rectangle', 'circle', 'tube' or 'area'");
        PCS_TRY(pcs_reader_get_positive(reader, node, "area", &section->area));
        PCS_TRY(get_pair(reader, node, "inertia", section->inertia));
        PCS_TRY(pcs_reader_get_positive(reader, node, "torsion", &section->torsion));
        PCS_TRY(get_pair(reader, node, "shear_area", section->shear_area));
    }
    if (reader->dimension == 2)
        return pcs_reader_refuse_key(reader, node, "y", "a planar model");
    return pcs_reader_get_direction(reader, node, "y", &section->y);
}
