; Definitions
(package_clause name: (_) @name) @definition.namespace
(class_definition name: (_) @name) @definition.class
(object_definition name: (_) @name) @definition.class
(package_object name: (_) @name) @definition.module
(trait_definition name: (_) @name) @definition.trait
(enum_definition name: (_) @name) @definition.enum
(simple_enum_case name: (_) @name) @definition.enum_member
(full_enum_case name: (_) @name) @definition.enum_member
(function_definition name: (_) @name) @definition.function
(function_declaration name: (_) @name) @definition.function
(type_definition name: (_) @name) @definition.type
(given_definition name: (_) @name) @definition.constant
(class_definition class_parameters: (class_parameters (class_parameter name: (_) @name) @definition.property))
(compilation_unit (val_definition pattern: (identifier) @name) @definition.constant)
(compilation_unit (var_definition pattern: (identifier) @name) @definition.variable)
(template_body (val_definition pattern: (identifier) @name) @definition.property)
(template_body (var_definition pattern: (identifier) @name) @definition.property)
(template_body (val_declaration name: (identifier) @name) @definition.property)
(template_body (var_declaration name: (identifier) @name) @definition.property)

; Local names
(parameter name: (identifier) @local)
(val_definition pattern: (identifier) @local)
(var_definition pattern: (identifier) @local)
(lambda_expression parameters: (identifier) @local)
(case_clause pattern: (identifier) @local)
(type_parameters name: (identifier) @local)
[(function_definition) (block) (lambda_expression) (case_clause) (for_expression)] @scope

; Imports
(import_declaration . (identifier) @import.source . ("." . (identifier) @import.source)* . "." . (identifier) @import.name .)
(import_declaration . (identifier) @import.source . ("." . (identifier) @import.source)* . "." . (namespace_selectors (identifier) @import.name))
(import_declaration . (identifier) @import.source . ("." . (identifier) @import.source)* . "." . (namespace_selectors (arrow_renamed_identifier name: (identifier) @import.name alias: (identifier) @import.alias)))
(import_declaration . (identifier) @import.source . ("." . (identifier) @import.source)* . "." . (namespace_wildcard) @import.all)

; References
(call_expression function: (identifier) @name) @reference.call
(call_expression function: (generic_function function: (identifier) @name)) @reference.call
(call_expression function: (field_expression value: (_) @receiver field: (identifier) @name)) @reference.call
(call_expression function: (generic_function function: (field_expression value: (_) @receiver field: (identifier) @name))) @reference.call
(instance_expression [(type_identifier) @name (generic_type type: (type_identifier) @name)]) @reference.call
(extends_clause . type: [(type_identifier) @name (generic_type type: (type_identifier) @name)]) @reference.extends
(extends_clause [(type_identifier) @name (generic_type type: (type_identifier) @name)]) @reference.implements
(type_identifier) @name @reference.usage
(arguments (identifier) @name @reference.usage)
