; Definitions
(package_clause (package_identifier) @name) @definition.namespace
(function_declaration name: (_) @name) @definition.function
(method_declaration receiver: (parameter_list (parameter_declaration type: [(type_identifier) @owner (pointer_type (type_identifier) @owner) (generic_type type: (type_identifier) @owner) (pointer_type (generic_type type: (type_identifier) @owner))])) name: (_) @name) @definition.method
(type_spec name: (_) @name type: (struct_type) @body) @definition.struct
(type_spec name: (_) @name type: (interface_type) @body) @definition.interface
(type_spec name: (_) @name) @definition.type
(type_alias name: (_) @name) @definition.type
(field_declaration name: (_) @name) @definition.property
(method_elem name: (_) @name) @definition.method
(source_file (const_declaration (const_spec name: (identifier) @name @definition.constant)))
(source_file (var_declaration (var_spec name: (identifier) @name @definition.variable)))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name @definition.variable))))

; Local names
(parameter_declaration name: (identifier) @local)
(parameter_declaration name: (identifier) @local type: (_) @local.type)
(var_spec name: (identifier) @local type: (_) @local.type)
(short_var_declaration left: (expression_list . (identifier) @local .) right: (expression_list (_) @local.value))
(variadic_parameter_declaration name: (identifier) @local)
(short_var_declaration left: (expression_list (identifier) @local))
(range_clause left: (expression_list (identifier) @local))
(var_spec name: (identifier) @local)
(const_spec name: (identifier) @local)
[(function_declaration) (method_declaration) (func_literal) (block) (for_statement) (if_statement)] @scope

; Imports. Without an alias, the package has the name of the last path segment.
(import_spec name: (package_identifier) @import.namespace path: (interpreted_string_literal (interpreted_string_literal_content) @import.source))
(import_spec !name path: (interpreted_string_literal (interpreted_string_literal_content) @import.source @import.namespace))

; References
(call_expression function: (identifier) @name) @reference.call
(call_expression function: (selector_expression operand: (_) @receiver field: (field_identifier) @name)) @reference.call
(field_declaration !name type: [(type_identifier) @name (pointer_type (type_identifier) @name)]) @reference.extends
(interface_type (type_elem (type_identifier) @name)) @reference.extends
(qualified_type package: (_) @receiver name: (type_identifier) @name) @reference.usage
(type_identifier) @name @reference.usage
(argument_list (identifier) @name @reference.usage)
